import type { ResourceTemplateCard } from "../serve/resources/resources.ts";
import { cleanText } from "./clean-text.ts";
import type { MountedMcpServer } from "./mount-mcp-server.ts";

const MAX_TEMPLATES = 100;
const MAX_TEXT = 500;
const SCHEME = /^([a-z][a-z0-9+.-]*):(\/{0,3})(.*)$/is;

/** The resource templates of a mounted server, as it names them. Contract: none while it is down or has none. */
export async function foreignTemplates(server: MountedMcpServer): Promise<readonly ResourceTemplateCard[]> {
  try {
    const { resourceTemplates } = await server.use((client) =>
      client.listResourceTemplates(undefined, { cacheMode: "bypass" }),
    );
    return resourceTemplates.slice(0, MAX_TEMPLATES).map(({ uriTemplate, name, title, description, mimeType }) => ({
      uriTemplate,
      name: cleanText(name, MAX_TEXT),
      ...(title !== undefined && { title: cleanText(title, MAX_TEXT) }),
      ...(description !== undefined && { description: cleanText(description, MAX_TEXT) }),
      ...(mimeType !== undefined && { mimeType: cleanText(mimeType, MAX_TEXT) }),
    }));
  } catch {
    return [];
  }
}

/** The templates of a mounted server as templates of addresses in its mount: `notes://{id}` is `mount:///notes/{id}`. */
export async function mountedTemplates(
  server: MountedMcpServer,
  mount: string,
): Promise<readonly ResourceTemplateCard[]> {
  const name = cleanText(server.status().name, MAX_TEXT);
  return (await foreignTemplates(server)).flatMap((card) => {
    const [, scheme, , rest] = SCHEME.exec(card.uriTemplate) ?? [];
    if (scheme === undefined || rest === undefined) return [];
    return [{ ...card, uriTemplate: `${mount}:///${scheme}/${rest}`, name: `${name}: ${card.name}` }];
  });
}

/** The URI that a path in a server's mount stands for by one of its templates. Contract: none or one. */
export function uriOf(uriTemplate: string, path: string): readonly string[] {
  const [, scheme = "", slashes = "", rest = ""] = SCHEME.exec(uriTemplate) ?? [];
  const fixed = rest.slice(0, Math.max(0, rest.indexOf("{")));
  const prefix = `${scheme}/${fixed}`;
  if (scheme === "" || !rest.includes("{") || !path.startsWith(prefix) || path === prefix) return [];
  return [`${scheme}:${slashes}${encodeURI(path.slice(scheme.length + 1))}`];
}
