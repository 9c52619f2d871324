import { conditionOf, type FieldCondition, type MetadataFilter, RANGES, type Scalar } from "../filter.ts";
import type { Conditions } from "../search.ts";

/** Adds a value to the statement's parameters and gives its placeholder. */
export type Bind = (value: unknown) => string;

const COMPARISONS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** The conditions on an entry `e`, as SQL that says the same as `matchesFilter`. Empty when there are none. */
export function conditionsSql({ filter = {}, since, until }: Conditions, bind: Bind): readonly string[] {
  const parts: string[] = [];
  if (since !== undefined) parts.push(`e.at >= ${bind(since.toISOString())}::text::timestamptz`);
  if (until !== undefined) parts.push(`e.at < ${bind(until.toISOString())}::text::timestamptz`);
  return [...parts, ...filterSql(filter, bind)];
}

function filterSql(filter: MetadataFilter, bind: Bind): readonly string[] {
  return Object.entries(filter).flatMap(([field, wanted]) => fieldSql(field, conditionOf(field, wanted), bind));
}

function fieldSql(field: string, { eq, in: any, contains, ...ranges }: FieldCondition, bind: Bind): readonly string[] {
  if (any?.length === 0) return ["false"];
  const value = `e.metadata->(${bind(field)}::text)`;
  const json = (one: Scalar): string => `${bind(JSON.stringify(one))}::text::jsonb`;
  const parts: string[] = [];
  if (eq !== undefined) parts.push(`${value} = ${json(eq)}`);
  if (any !== undefined) parts.push(`${value} in (${any.map(json).join(", ")})`);
  if (contains !== undefined) parts.push(containsSql(value, contains, json, bind));
  for (const name of RANGES) {
    const bound = ranges[name];
    if (bound !== undefined) parts.push(rangeSql(value, COMPARISONS[name], bound, bind));
  }
  return parts.map((part) => `coalesce(${part}, false)`);
}

function containsSql(value: string, part: Scalar, json: (one: Scalar) => string, bind: Bind): string {
  const member = `(jsonb_typeof(${value}) = 'array' and ${value} @> jsonb_build_array(${json(part)}))`;
  if (typeof part !== "string") return member;
  return `(${member} or (jsonb_typeof(${value}) = 'string' and position(${bind(part)}::text in ${value} #>> '{}') > 0))`;
}

function rangeSql(value: string, comparison: string, bound: string | number, bind: Bind): string {
  if (typeof bound === "number") {
    const number = `case when jsonb_typeof(${value}) = 'number' then (${value} #>> '{}')::numeric end`;
    return `${number} ${comparison} ${bind(String(bound))}::text::numeric`;
  }
  const text = `case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end`;
  return `${text} collate "C" ${comparison} ${bind(bound)}::text collate "C"`;
}
