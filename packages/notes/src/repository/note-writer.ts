import { IkigaiError, type SourceCallOptions } from "@ikigai/core";
import { requireCapability, type SourceManager } from "@ikigai/core/host";
import type { NoteIndex } from "../index-store/note-index.ts";
import type { UpdateOptions, WrittenNote } from "./knowledge-repository.ts";

const MAX_TRIES = 8;

/** Writes notes and tells the index. */
export interface NoteWriter {
  create(uri: string, text: string, options?: SourceCallOptions): Promise<WrittenNote>;
  edit(uri: string, edit: (text: string) => string, options?: UpdateOptions): Promise<WrittenNote>;
  remove(uri: string, options?: UpdateOptions): Promise<void>;
}

export function createNoteWriter(sources: SourceManager, index: NoteIndex): NoteWriter {
  return {
    async create(uri, text, call = {}) {
      const route = sources.route(uri);
      const target = requireCapability(route, "write");
      try {
        const { version } = await target.write(route.address.path, text, { ...call, expected: null });
        await index.noteChanged(route.uri);
        return { uri: route.uri, version, changed: true };
      } catch (error) {
        if (IkigaiError.is(error, "conflict")) throw taken(route.uri, error);
        throw error;
      }
    },
    async edit(uri, edit, { expected, ...call } = {}) {
      const route = sources.route(uri);
      const target = requireCapability(route, "write");
      for (let tries = 1; ; tries += 1) {
        const current = await target.read(route.address.path, call);
        if (current === undefined) throw gone(route.uri);
        if (expected !== undefined && current.version !== expected) throw changed(route.uri);
        const text = edit(current.text);
        const replaced = current.version;
        if (text === current.text) return { uri: route.uri, version: replaced, changed: false, replaced };
        try {
          const { version } = await target.write(route.address.path, text, { ...call, expected: replaced });
          await index.noteChanged(route.uri);
          return { uri: route.uri, version, changed: true, replaced };
        } catch (error) {
          if (!IkigaiError.is(error, "conflict") || tries >= MAX_TRIES) throw error;
        }
      }
    },
    async remove(uri, { expected, ...call } = {}) {
      const route = sources.route(uri);
      const target = requireCapability(route, "remove");
      try {
        await target.remove(route.address.path, { ...call, ...(expected !== undefined && { expected }) });
      } catch (error) {
        if (!IkigaiError.is(error, "conflict")) throw error;
        await index.noteChanged(route.uri);
        throw changed(route.uri);
      }
      await index.noteChanged(route.uri);
    },
  };
}

function taken(uri: string, cause: unknown): IkigaiError {
  return new IkigaiError("conflict", `${uri} exists already`, {
    hint: "Choose another name, or update the note.",
    details: { error_type: "already_exists", note_name: uri },
    cause,
  });
}

function gone(uri: string): IkigaiError {
  return new IkigaiError("not_found", `${uri} is gone`, {
    hint: "Create it again, or choose another note.",
    details: { error_type: "not_found", note_name: uri },
  });
}

function changed(uri: string): IkigaiError {
  return new IkigaiError("conflict", `${uri} changed since it was read`, {
    hint: "Read it again, then make the change on the new text.",
    details: { error_type: "conflict", note_name: uri },
  });
}
