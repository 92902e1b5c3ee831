import { locationsAnswer } from "@sonde/proto/http/monitors/monitors";
import { locationInput, locationPath, locationTokenAnswer } from "@sonde/proto/http/monitors/runners";
import { runnerCommands } from "@sonde/proto/http/monitors/runner-install";
import { version } from "../config.ts";
import { ownOrigin } from "../middleware/host.ts";
import { command, type HandlerBase, route } from "../route.ts";
import { readRunnerScript } from "../runner-path/downloads.ts";

const params = { name: locationPath } as const;
const tokenText =
  "The token registers one runner within 24 hours and is returned only once, with commands that start a runner. Only for administrators, because a runner receives the secrets of its location's monitors.";

/** @param location name of a new or existing location */
async function createToken({ ctx, config, site, services, ask }: HandlerBase, location: string) {
  const { token, expiresAt } = await services.monitors.createRunnerToken({ location }, ask);
  const { sha256: scriptSha256 } = await readRunnerScript(site);
  const origin = ownOrigin(config, ctx);
  return { token, expiresAt, commands: runnerCommands({ origin, token, version, scriptSha256 }) };
}

export const locationRoutes = [
  route("GET /api/locations", "session", {
    summary: "List locations with their probe runners and numbers of active monitors",
    description: "`remote`: runners that connect through this address, and how many registration tokens are unused.",
    answer: locationsAnswer,
    handle: ({ services, ask }) => services.monitors.listLocations({}, ask),
  }),
  route("POST /api/locations", "admin", {
    summary: "Add a location: create a token that registers its first probe runner",
    description: tokenText,
    body: locationInput,
    answer: locationTokenAnswer,
    status: 201,
    refusals: ["impossible"],
    handle: (input) => createToken(input, input.body.name),
  }),
  route("POST /api/locations/:name/token", "admin", {
    summary: "Create a token that registers another probe runner of a location",
    description: tokenText,
    params,
    answer: locationTokenAnswer,
    status: 201,
    refusals: ["impossible"],
    handle: (input) => createToken(input, input.params.name),
  }),
  command("DELETE /api/locations/:name/tokens", "admin", {
    summary: "Revoke all unused tokens of a location",
    params,
    message: "The tokens are revoked",
    refusals: ["not_found"],
    handle: ({ services, params: { name }, ask }) => services.monitors.revokeRunnerTokens({ location: name }, ask),
  }),
  command("DELETE /api/locations/:name/runners/:id", "admin", {
    summary: "Revoke a remote probe runner",
    description: "Its connection ends within a second, and its key stays invalid.",
    params: { ...params, id: "The probe runner does not exist, or was already revoked" },
    message: "The probe runner is revoked. Its connection ends within a second",
    handle: ({ services, params: { name, id }, ask }) => services.monitors.revokeRunner({ location: name, id }, ask),
  }),
];
