import type { ApplyPart } from "@sonde/proto/rpc/apply";
import { AppError, invalid } from "@sonde/kit/errors";

/** Negative ids belong to objects that a plan would create. */
export class ConfigIds {
  readonly #ids = new Map<string, Map<string, number>>();
  readonly #keys = new Map<string, string>();
  constructor({ monitors, agents, channels, templates, schedules, policies, users }: ApplyPart["ids"]) {
    for (const [kind, given] of [
      ["monitor", monitors],
      ["agent", agents],
      ["channel", channels],
      ["template", templates],
      ["schedule", schedules],
      ["policy", policies],
      ["user", users],
    ] as const) {
      for (const [key, id] of Object.entries(given)) this.set(kind, key, id);
    }
  }
  set(kind: string, key: string, id: number): void {
    this.#ids.set(kind, (this.#ids.get(kind) ?? new Map<string, number>()).set(key, id));
    this.#keys.set(`${kind}:${id}`, key);
  }
  get = (kind: string, key: string): number | undefined => this.#ids.get(kind)?.get(key);
  keyOf = (kind: string, id: number): string | number => this.#keys.get(`${kind}:${id}`) ?? id;
  /** Parses `monitor:db`. @throws AppError invalid or impossible if the target does not exist */
  target(text: string, path: string): { type: "monitor" | "agent"; id: number } {
    const type = text.startsWith("agent:") ? "agent" : "monitor";
    const name = text.slice(text.indexOf(":") + 1);
    const id = this.get(type, name);
    if (id !== undefined) return { type, id };
    if (type === "monitor") throw missing(`monitors.${name}`, path);
    const fault = { message: "There is no agent named {name}", params: { name } } as const;
    throw new AppError("impossible", fault.message, { ...fault, details: [{ path, ...fault }] });
  }
}

export const missing = (wanted: string, path: string): AppError =>
  invalid([{ path, message: "{path} is not defined in this or any other document", params: { path: wanted } }]);
