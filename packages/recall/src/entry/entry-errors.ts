import { IkigaiError } from "@ikigai/core";

export function noSuchEntry(id: string): IkigaiError {
  return new IkigaiError("not_found", `There is no recall entry ${JSON.stringify(id.slice(0, 40))}`, {
    hint: "Search again and use the id of a result.",
  });
}

export function alreadySuperseded(id: string, by: string | undefined): IkigaiError {
  const other = by === undefined ? "another entry of the same call" : `entry ${by}`;
  return new IkigaiError("conflict", `Recall entry ${id} was already superseded by ${other}`, {
    hint: by === undefined ? "Supersede each entry once." : `Supersede ${by} instead.`,
    ...(by !== undefined && { details: { superseded_by: by } }),
  });
}
