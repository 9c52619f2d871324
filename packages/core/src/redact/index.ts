export type { RedactionStream } from "./redaction-stream.ts";
export { createRedactor, type Redactor, type RedactorOptions } from "./redactor.ts";
