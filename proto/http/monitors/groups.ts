import * as z from "zod";

export const maxMembers = 200;
/** Levels of groups within groups. */
export const maxGroupDepth = 5;

/** `pending`: no member counts. */
export const groupStates = ["pending", "up", "partial", "down", "paused"] as const;
export type GroupState = (typeof groupStates)[number];

export type Need = "all" | "any" | number;

/** Additional response fields of groups. */
export const groupFacts = {
  state: z.enum(groupStates).meta({
    description: "`partial` while some members are down, but enough are up; `status` is then `up`.",
  }),
  counts: z
    .object({ up: z.int(), down: z.int(), ignored: z.int() })
    .meta({ description: "Members by state. Paused and pending ones, and those in maintenance, are `ignored`." }),
  needed: z.int().meta({ description: "Members that must be up, of those that count." }),
  groupUptime: z
    .object({ h24: z.number().nullable(), d30: z.number().nullable(), d90: z.number().nullable().default(null) })
    .meta({ description: "Percent of the time, exact to the millisecond; `h24` and `d30` as in `uptime`." }),
};

/** True if it is up, but slow, or with members down. */
export const isDegraded = (monitor: { status: string; slow: boolean; state?: string }): boolean =>
  monitor.status === "up" && (monitor.slow || monitor.state === "partial");

export type GroupFacts = z.infer<z.ZodObject<typeof groupFacts>>;
