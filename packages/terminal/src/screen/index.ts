export { type Key, readKeys } from "../keys/read-keys.ts";
export { layoutInput } from "../line/layout-input.ts";
export { pasteLabel } from "../line/pastes.ts";
export { createMarkdownLines } from "../text/markdown-lines.ts";
export { type ChatScreen, type ScreenEvents, type Span, type Submission, typedText } from "./chat-screen.ts";
export { openPlainScreen } from "./plain-screen.ts";
export { type KeptHistory, openRichScreen } from "./rich-screen.ts";
