import type { Command } from "commander";
import type { Host } from "@ikigai/host";
import type { Settings } from "./settings.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** What a command works with. */
export interface Session {
  readonly host: Host;
  readonly settings: Settings;
  readonly terminal: Terminal;
}

/**
 * An action of a command that works with a session.
 *
 * Contract: opens everything, runs `use` with it and what was typed, closes it, and takes its exit code; none means 0.
 */
export type WithSession = <Typed extends readonly unknown[]>(
  use: (session: Session, ...typed: Typed) => Promise<number | void> | number | void,
) => (...typed: Typed) => Promise<void>;

/** For commands that run without a session. */
export interface Surroundings {
  openTerminal(quiet: boolean): Terminal;
  setExitCode(code: number): void;
}

/** Adds a command to the program. One file each, in `commands/`. */
export type AddCommand = (program: Command, withSession: WithSession, surroundings: Surroundings) => void;

/** What the global flags say of which conversation, and of whether a task is meant. */
export interface TaskFlags {
  readonly continue?: boolean;
  readonly resume?: string | true;
  /** The first word of the task, or only that there is one. */
  readonly print?: string | true;
}

/** Which conversation to open. Absent: a new one. */
export type Resume =
  | { readonly kind: "latest" }
  | { readonly kind: "choose" }
  | { readonly kind: "id"; readonly id: string };

/** The conversation that the flags name. */
export function toResume({ continue: latest, resume }: TaskFlags): Resume | undefined {
  if (resume === true) return { kind: "choose" };
  if (resume !== undefined) return { kind: "id", id: resume };
  return latest === true ? { kind: "latest" } : undefined;
}

/** The examples every command shows in its help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
