export { type Key, type KeyInput, readKeys } from "../keys/read-keys.ts";
export { type Layout, layoutInput } from "../line/layout-input.ts";
export { pasteLabel } from "../line/pastes.ts";
export { createMarkdownLines, type MarkdownLines } from "../text/markdown-lines.ts";
export { type ChatScreen, type ScreenEvents, type Span, type Submission, typedText } from "./chat-screen.ts";
export { openPlainScreen } from "./plain-screen.ts";
export { type KeptHistory, openRichScreen, type RichScreenOptions } from "./rich-screen.ts";
