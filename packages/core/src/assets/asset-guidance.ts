/** What the system prompt says of stored assets, whichever store keeps them. */
export function assetGuidance(mount: string): string {
  return (
    `Stored assets live at ${mount}:/// and belong to you, not to one project: patterns you use everywhere, preferences, ` +
    "skills. Pinned ones stay in your context and count against a budget of tokens. When in doubt, ask the user where to save."
  );
}
