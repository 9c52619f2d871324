import type { ScreenEvents } from "./chat-screen.ts";
import { bufferOf, type LineBuffer } from "../line/line-buffer.ts";
import { fillMarker, openMarker } from "../line/markers.ts";

/** What is offered below the input while it is typed. */
export interface Suggestions {
  /** Looks at what is typed and finds what fits. */
  look(buffer: LineBuffer): void;
  readonly items: readonly string[];
  readonly selected: number;
  move(by: number): void;
  /** Ends when there is an offer for what is typed now. Contract: absent while the present offer is for that. */
  readonly searching: Promise<void> | undefined;
  /**
   * The buffer with the selected item in it.
   *
   * Contract: `undefined` when nothing is offered, nothing would change, or the offer is for what was typed before.
   */
  accept(buffer: LineBuffer): LineBuffer | undefined;
  /** Contract: nothing is offered again before something else is typed. */
  close(): void;
}

interface Offer {
  readonly items: readonly string[];
  fill(buffer: LineBuffer, index: number): LineBuffer | undefined;
}

const NONE: Offer = { items: [], fill: () => undefined };
const SHOWN = 8;
const SLASH = /^\/[a-z]*$/;

/** `@` and `@@` open a finder, `/` completes commands. Contract: a search that was overtaken is dropped. */
export function createSuggestions(
  events: Pick<ScreenEvents, "findNames" | "commands">,
  onChange: () => void,
): Suggestions {
  let offer = NONE;
  let selected = 0;
  let dismissed: string | undefined;
  let looked: string | undefined;
  let latest = 0;
  let search: Promise<void> | undefined;
  let offeredFor: string | undefined;

  const set = (next: Offer): void => {
    const before = offer.items[selected];
    offer = next;
    offeredFor = looked;
    selected = Math.max(0, before === undefined ? 0 : next.items.indexOf(before));
    onChange();
  };

  async function find(buffer: LineBuffer, mine: number): Promise<void> {
    const marker = openMarker(buffer);
    if (marker === undefined) return;
    const names = await events.findNames(marker.asset, marker.query);
    if (names === undefined || mine !== latest) return;
    set({
      items: names,
      fill: (now, index) => {
        const name = names[index];
        const open = openMarker(now);
        if (name === undefined || open?.query !== marker.query || open.asset !== marker.asset) return undefined;
        return name === open.query ? undefined : fillMarker(now, open, name);
      },
    });
  }

  return {
    look(buffer) {
      const mine = ++latest;
      const { text, cursor } = buffer;
      looked = text;
      search = undefined;
      if (text === dismissed) return;
      dismissed = undefined;
      if (SLASH.test(text) && cursor === text.length) {
        const found = events.commands(text.slice(1)).slice(0, SHOWN);
        return set({
          items: found.map(({ name, description }) => `/${name}  ${description}`),
          fill: (now, index) => {
            const chosen = found[index];
            const filled = chosen === undefined ? undefined : bufferOf(`/${chosen.name} `);
            return filled?.text.trimEnd() === now.text ? undefined : filled;
          },
        });
      }
      if (openMarker(buffer) === undefined) {
        if (offer.items.length > 0) set(NONE);
        return;
      }
      const begun = find(buffer, mine).finally(() => {
        if (search === begun) search = undefined;
      });
      search = begun;
    },
    get items() {
      return offer.items;
    },
    get selected() {
      return selected;
    },
    get searching() {
      return offeredFor === looked ? undefined : search;
    },
    move(by) {
      selected = (selected + by + offer.items.length) % offer.items.length;
      onChange();
    },
    accept(buffer) {
      const filled = offer.fill(buffer, selected);
      if (filled !== undefined) {
        latest++;
        dismissed = filled.text;
        set(NONE);
      }
      return filled;
    },
    close() {
      latest++;
      dismissed = looked;
      set(NONE);
    },
  };
}

export const SUGGESTED: number = SHOWN;
