import { actOfAPerson } from "../acts-of-a-person.ts";
import type { Settings } from "../settings.ts";
import type { ProjectTrust } from "./project-trust.ts";

/** Trusts what a person was shown, and writes down that they did. */
export function acceptTrust(settings: Settings, project: ProjectTrust): Promise<void> {
  const { root, content, anything } = project;
  const effect = { action: "create", target: `trust://${root}` } as const;
  const input = { content: content.map(({ path, sha256 }) => `${path} ${sha256}`), anything };
  return actOfAPerson(settings, { command: "trust", effect, input }, () => project.accept());
}
