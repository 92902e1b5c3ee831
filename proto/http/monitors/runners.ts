import * as z from "zod";
import { id, instant, success } from "../envelope.ts";

/** Raised when a change to the bus or to `/runner/v1` excludes earlier remote runners, or later ones. */
export const runnerProtocol = 1;
export const runnerPath = "/runner/v1";
/** Runners that a gateway serves at once. */
export const maxRunners = 200;

const locationName = z.string().regex(/^[\w-]{1,63}$/, "Use 1 to 63 letters, digits, - and _");

export const locationInput = z.strictObject({ name: locationName });
export const locationTokenAnswer = success({
  token: z.string(),
  expiresAt: instant,
  /** Each starts a runner, which registers with the token. */
  commands: z.object({ docker: z.string(), script: z.string() }),
});
export const locationPath = { schema: locationName, missing: "The location does not exist" } as const;

/** A remote runner that is not revoked. Figures are absent while it is not connected. */
const remoteRunner = z.object({
  id,
  name: z.string(),
  version: z.string(),
  lastSeenAt: instant,
  connected: z.boolean(),
  checksPerSecond: z.number().optional(),
  /** How late its checks begin. */
  lagMs: z.number().optional(),
  /** How far its clock is ahead of Sonde's. */
  clockOffsetMs: z.number().optional(),
});
export type RemoteRunnerFacts = z.infer<typeof remoteRunner>;

/** Runners that connect through the gateway, and unused registration tokens. */
export const remoteFacts = z.object({ runners: z.array(remoteRunner), openTokens: z.int() });

const program = { version: z.string().max(40), protocol: z.int() };
export const registerRunnerInput = z.strictObject({
  token: z.string().max(200),
  name: z.string().trim().min(1).max(100),
  ...program,
});
export const startRunnerInput = z.strictObject(program);

/** `keys` open the secrets of the location's checks. */
export const runnerSettings = z.object({
  runnerId: id,
  location: z.string(),
  keys: z.string(),
  /** Sonde's version. */
  version: z.string(),
});
export const registeredRunner = runnerSettings.extend({ key: z.string() });
