import { testPages } from "./test-pages.ts";

testPages((page) => page.startsWith("docs/how-to/"));
