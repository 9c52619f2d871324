/** A repository's own configuration may name programs to run. None of them is needed to look. */
export const HARMLESS_GIT: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.sshCommand": "false",
  "core.pager": "cat",
  "safe.bareRepository": "explicit",
  // Merging again, to show how a merge was resolved, would run the drivers that the repository names.
  "log.diffMerges": "separate",
  "log.showSignature": "false",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
  "protocol.allow": "never",
  "submodule.recurse": "false",
  "diff.ignoreSubmodules": "all",
  "status.submoduleSummary": "false",
};

/**
 * Variables that give git `settings`, {@link HARMLESS_GIT} unless told otherwise, above every configuration file, and
 * keep it from changing, fetching or asking.
 */
export function gitEnvironment(settings: Readonly<Record<string, string>> = HARMLESS_GIT): Record<string, string> {
  const pairs = Object.entries(settings);
  return {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(pairs.length),
    ...Object.fromEntries(
      pairs.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
