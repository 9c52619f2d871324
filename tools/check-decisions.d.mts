export function findRecordProblems(records: readonly (readonly [string, string])[], index: string): string[];
export function findMentionProblems(
  texts: readonly (readonly [string, string])[],
  recordFiles: readonly string[],
  index: string,
): string[];
