import type { ApprovalMode } from "@ikigai/core/host";

/** What `--approve` takes. A file of its own, so that help is shown without loading anything else. */
export const APPROVAL_MODES: readonly ApprovalMode[] = ["ask", "edits", "all", "none"];
