/** What the model says when its script has ended. */
export const LAST_WORDS = "That is all.";

/**
 * A script that plays the model: it calls tools, one after the other, and sees what the model was given.
 *
 * Contract: `answer` gives the reply to one request of a client. A request that repeats what was answered before gets
 * the same reply; one that offers no tool at all, as for a title, gets a word. `reach` says how a tool is called: by a
 * call, or by a `first` call after which it is asked again; `undefined` when the request does not offer the tool.
 */
export function createConversation(script, reach) {
  let offer = { tools: [], text: "" };
  let calls = 0;
  const state = { pending: undefined, ended: false };
  let notify = () => {};
  let arrive;
  const arrival = new Promise((resolve) => (arrive = resolve));
  const model = {
    /** What the newest request offered: tools, and the text in which a client may name more. */
    offer: () => offer,
    offers: (name) => reach(name, {}, offer) !== undefined,
    /** What the client gave the model as the result; `undefined` when the tool is not offered. */
    async call(name, given) {
      const way = reach(name, given, offer);
      if (way === undefined) return undefined;
      if (way.first === undefined) return put(way);
      await put(way.first);
      const next = reach(name, given, offer);
      return next === undefined ? undefined : put(next.after ?? next);
    },
    /** Calls a tool that is the client's own. */
    callOwn: (name, given) => put({ name, arguments: given }),
    /** Ends the turn. Contract: resolves when the client has begun another. */
    endTurn: () =>
      new Promise((resolve) => {
        state.pending = { reply: { id: `turn_${++calls}`, text: "Go on?" }, resolve };
        notify();
      }),
  };
  const done = arrival
    .then(() => script(model))
    .finally(() => {
      state.ended = true;
      notify();
    });

  function put(call) {
    return new Promise((resolve) => {
      state.pending = { reply: { id: `call_${++calls}`, call }, resolve };
      notify();
    });
  }

  async function nextReply() {
    while (state.pending === undefined && !state.ended) await new Promise((resolve) => (notify = resolve));
    if (state.pending !== undefined) state.pending.sent = true;
    return state.pending?.reply ?? { id: "end", text: LAST_WORDS };
  }

  return {
    /** Resolves when the script has ended; rejects with its error. */
    done,
    async answer(request) {
      if (request.tools.length === 0) return { id: "aside", text: "Laboratory" };
      offer = request;
      arrive();
      const given = state.pending?.sent === true && resultOf(state.pending.reply, request);
      if (given) {
        const { resolve } = state.pending;
        state.pending = undefined;
        resolve(given.text);
      }
      return nextReply();
    },
  };
}

/** What a request holds that a reply was waiting for: a call's result, or after the end of a turn just anything. */
function resultOf({ id, call }, { results }) {
  return call === undefined ? { text: "" } : results.find((result) => result.id === id);
}
