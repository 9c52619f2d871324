import { actOfAPerson } from "../policy/acts-of-a-person.ts";
import { assertPerson } from "../policy/assert-person.ts";
import type { Place } from "../place/place.ts";
import type { ProjectTrust } from "./project-trust.ts";

/** Trusts what a person was shown, and writes down that they did. Contract: `permission_denied` where nobody is a person. */
export async function acceptTrust(place: Place, project: ProjectTrust): Promise<void> {
  assertPerson("trust a folder");
  const { root, content, anything } = project;
  const effect = { action: "create", target: `trust://${root}` } as const;
  const input = { content: content.map(({ path, sha256 }) => `${path} ${sha256}`), anything };
  return actOfAPerson(place, { command: "trust", effect, input }, () => project.accept());
}
