export { createRedactor, type Redactor } from "./redactor.ts";
