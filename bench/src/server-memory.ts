/** The part of @modelcontextprotocol/server-memory that stores. */
export interface KnowledgeGraph {
  createEntities(entities: readonly { name: string; entityType: string; observations: string[] }[]): Promise<unknown>;
}

/** Its store over a file of its own, without the protocol around it. */
export async function openServerMemory(file: string): Promise<KnowledgeGraph> {
  const name: string = "@modelcontextprotocol/server-memory/dist/index.js";
  const { KnowledgeGraphManager } = (await import(name)) as {
    KnowledgeGraphManager: new (file: string) => KnowledgeGraph;
  };
  return new KnowledgeGraphManager(file);
}
