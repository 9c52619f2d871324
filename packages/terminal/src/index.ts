export { type Choice, choicePrompt, keyOf, notAKey } from "./text/choice.ts";
export { escapeText } from "./text/escape-text.ts";
export { createStyle, type Style } from "./text/style.ts";
export { cutToWidth, graphemesOf, widthOf, widthOfGrapheme } from "./text/text-width.ts";
export { wrapLine } from "./text/wrap-rows.ts";
export { wrapProse } from "./text/wrap-prose.ts";
