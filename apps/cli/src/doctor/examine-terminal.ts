import type { Finding } from "@ikigai/host/health";

/** What can be said of the terminal that the output goes to. */
export function examineTerminal(
  env: NodeJS.ProcessEnv,
  output: Pick<NodeJS.WriteStream, "isTTY" | "columns">,
): Finding {
  if (output.isTTY !== true) return { what: "terminal", state: "ok", finding: "none; output is plain" };
  const plain = env["TERM"] === "dumb" ? "dumb, so lines only" : env["NO_COLOR"] ? "without colours" : "with colours";
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const finding = `${output.columns} columns, ${plain}`;
  if (locale === "" || /utf-?8/i.test(locale)) return { what: "terminal", state: "ok", finding };
  return {
    what: "terminal",
    state: "warn",
    finding: `${finding}, locale ${locale}`,
    advice: "Use a UTF-8 locale, such as LANG=C.UTF-8.",
  };
}
