import { openModel } from "@ikigai/agent";
import { openCredentials } from "../configuration/credentials.ts";
import { chooseModel, type ModelChoice, noModel, withKey } from "./choose-model.ts";

type Model = Awaited<ReturnType<typeof openModel>>;

export interface ModelSwitchOptions {
  /** Where a model may be named, the strongest first. */
  readonly places: Parameters<typeof chooseModel>[0];
  readonly configDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The model of an agent, which can be switched while it runs. */
export interface ModelSwitch {
  /** Absent: none is set. */
  readonly choice: ModelChoice | undefined;
  /** Contract: `invalid_input` with how to set one when there is no model. Opened once. */
  model(): Promise<Model>;
  /** Switches the model from the next request on. Contract: when it cannot be opened the one before stays. */
  useModel(name: string, baseUrl?: string): Promise<void>;
}

export function createModelSwitch({ places, configDirectory, env }: ModelSwitchOptions): ModelSwitch {
  const credentials = openCredentials(configDirectory);
  let choice = chooseModel(places);
  let opened: Promise<Model> | undefined;

  async function open(chosen: ModelChoice): Promise<Model> {
    const keyed = await withKey(chosen, env, (provider) => credentials.key(provider));
    return openModel({ ...keyed, load: (name) => importFrom(name, configDirectory) });
  }

  return {
    get choice() {
      return choice;
    },
    async model() {
      if (choice === undefined) throw noModel();
      const opening = (opened ??= open(choice));
      return opening.catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    },
    async useModel(name, baseUrl) {
      const next = chooseModel([{ model: name, base_url: baseUrl }, ...places]);
      if (next === undefined) throw noModel();
      const model = await open(next);
      choice = next;
      opened = Promise.resolve(model);
    },
  };
}

/** Providers that the user installed beside ikigai or in the folder of the configuration. Never those of a workspace. */
async function importFrom(name: string, configDirectory: string): Promise<unknown> {
  const { resolvePlugin } = await import("../plugins/load-plugin.ts");
  return import(resolvePlugin(name, configDirectory));
}
