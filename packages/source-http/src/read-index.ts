import { compareCodePoints, IkigaiError, parseAddress } from "@ikigai/core";
import type { Answer } from "./fetch-limited.ts";
import type { GetAnswer } from "./cached-fetch.ts";

export interface IndexPlace {
  readonly base: URL;
  readonly index: URL;
  readonly items: string | undefined;
  readonly pathField: string;
}

const MAX_PAGES = 200;
const MAX_PATHS = 50_000;
const LINK = /<a\s[^>]{0,2000}?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi;

/**
 * The paths that a server lists, in order.
 *
 * Contract: follows links to folders below the base only; what no address can spell is left out; a list that is too long,
 * or is none, is an error and never a shorter list.
 */
export async function readIndex(place: IndexPlace, get: GetAnswer, signal?: AbortSignal): Promise<string[]> {
  const paths = new Set<string>();
  const pages = [place.index];
  for (let at = 0; at < pages.length; at++) {
    const page = pages[at] as URL;
    const answer = await get(page, signal);
    if (answer === undefined) throw noList(page, "the server does not have it");
    const isJson = /\bjson\b/i.test(answer.headers.get("content-type") ?? "") || page.pathname.endsWith(".json");
    const found = isJson ? pathsInJson(answer, place) : pathsInHtml(answer, place.base);
    for (const path of found) {
      if (!path.endsWith("/")) paths.add(path);
      else if (!pages.some(({ href }) => href === new URL(encodePath(path), place.base).href)) {
        pages.push(new URL(encodePath(path), place.base));
      }
    }
    if (pages.length > MAX_PAGES || paths.size > MAX_PATHS) {
      throw noList(place.index, `it has more than ${MAX_PAGES} folders or ${MAX_PATHS} paths`);
    }
  }
  return [...paths].toSorted(compareCodePoints);
}

/** A path as part of a URL. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function pathsInJson({ body, url }: Answer, { items, pathField }: IndexPlace): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (cause) {
    throw noList(url, "it is not valid JSON", cause);
  }
  for (const key of items?.split(".") ?? []) value = fieldOf(value, key);
  if (!Array.isArray(value)) throw noList(url, `there is no list ${items === undefined ? "in it" : `at ${items}`}`);
  return value.flatMap((item: unknown) => {
    const path = typeof item === "object" ? fieldOf(item, pathField) : item;
    return typeof path === "string" || typeof path === "number" ? spellable(String(path)) : [];
  });
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function pathsInHtml({ body, url }: Answer, base: URL): string[] {
  return [...body.toString().matchAll(LINK)].flatMap(([, double, single, bare]) => {
    const href = (double ?? single ?? bare ?? "").replaceAll("&amp;", "&");
    if (/^[?#]/.test(href) || !URL.canParse(href, url.href)) return [];
    const target = new URL(href, url);
    if (target.origin !== base.origin || !target.pathname.startsWith(base.pathname) || target.search !== "") return [];
    try {
      const path = decodeURIComponent(target.pathname.slice(base.pathname.length));
      return path.endsWith("/") ? spellable(path.slice(0, -1)).map((folder) => `${folder}/`) : spellable(path);
    } catch {
      return [];
    }
  });
}

function spellable(path: string): string[] {
  try {
    return parseAddress(`x:///${path}`, "").path === path ? [path] : [];
  } catch {
    return [];
  }
}

function noList(url: URL, why: string, cause?: unknown): IkigaiError {
  return new IkigaiError("unavailable", `${url.href} gives no list of paths: ${why}`, {
    hint: "Name the list with the options index, items and pathField.",
    ...(cause !== undefined && { cause }),
  });
}
