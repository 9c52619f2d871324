import { type Envelope, IkigaiError } from "@ikigai/core";
import { withHint } from "@ikigai/core/host";
import { type EditedText, editText } from "./edit-text.ts";

export interface EditAssetOptions {
  /** Runs the command with these words. */
  call(words: readonly string[]): Promise<Envelope>;
  /** Whether a person is there who can use an editor. */
  readonly interactive: boolean;
  /** Gives the terminal to the editor while `work` lasts. Default: it is free already. */
  lend?<T>(work: () => Promise<T>): Promise<T>;
  /** All of standard input, for `--text -`. Absent: there is none. */
  readInput?(): Promise<string>;
}

/**
 * Runs `/assets` as a person types it: `edit ADDRESS` alone opens an editor, `--text -` takes standard input.
 *
 * Contract: what is stored rests on the version that the editor showed; what cannot be stored stays in its file, and
 * the answer says where.
 */
export async function editAsset(words: readonly string[], options: EditAssetOptions): Promise<Envelope> {
  const { call, interactive, lend = (work) => work(), readInput } = options;
  const [operation, place] = words;
  if (operation !== "edit" || place === undefined) return call(words);
  const dash = words.findIndex((word, at) => word === "-" && words[at - 1] === "--text");
  if (dash !== -1 && readInput !== undefined) return call(words.with(dash, await readInput()));
  if (words.length !== 2 || !interactive) return call(words);
  const shown = await call(words);
  if (!shown.success) return shown;
  const { data } = shown.data as { data: { uri: string; text: string; version: string } };
  let edited: EditedText;
  try {
    edited = await lend(() => editText(data.uri, data.text));
  } catch (error) {
    if (!IkigaiError.is(error)) throw error;
    return { success: false, code: error.code, error: withHint(error.message, error.hint) };
  }
  if (edited.text === data.text) {
    await edited.discard();
    return { success: true, data: { output: `${data.uri} was left as it is.` } };
  }
  const answer = await call(["edit", place, "--expected", data.version, "--text", edited.text]);
  if (!answer.success) return { ...answer, error: `${answer.error} Your text is kept in ${edited.file}.` };
  await edited.discard();
  return answer;
}
