import { escapeHidden } from "@ikigai/core/host";

/** Text from elsewhere as it may be written to a terminal: nothing in it steers the terminal, hides or reorders text. */
export function escapeText(text: string): string {
  return escapeHidden(text, { forReading: true });
}
