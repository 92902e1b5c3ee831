import { type BusUser, runnerUser } from "@sonde/proto/permissions";
import { serviceNames } from "@sonde/proto/services";
import { calloutIssuer } from "@sonde/kit/bus/callout";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { authorization, natsAdmin, randomPassword, newUserPasswords } from "@sonde/kit/bus/nats-users";
import { env } from "@sonde/kit/service/config";
import { variableOf } from "../supervisor/processes.ts";

// Prints a configuration of users with new passwords for an external nats-server, and above it, as comments, the URL for
// each service and for the runners of each location.
const [address = "nats.example.com:4222", ...named] = process.argv.slice(2);
const locations = named.length === 0 ? ["default"] : named;
const wrong = locations.filter((location) => !env.location().safeParse(location).success);
if (wrong.length > 0) {
  process.stderr.write(`Invalid locations (use 1 to 63 letters, digits, - and _): ${wrong.join(" ")}\n`);
  process.exit(2);
}
const admin = randomPassword();
const masters = process.env["SONDE_SECRET_KEY"];
const issuer = masters ? calloutIssuer(deriveKeys(masters).SONDE_KEY_CALLOUT).publicKey : null;
const passwords = newUserPasswords(locations);
const urlOf = (user: BusUser) => `nats://${user}:${passwords[user]}@${address}`;
const others = serviceNames.filter((name) => name !== "probe-runner");
const lines = [
  "# NATS_URL of each service. `npm start` uses the names as written here.",
  ...others.map((name) => `# ${variableOf("NATS_URL", name)}=${urlOf(name)}`),
  ...locations.map((location) => `# ${variableOf("NATS_URL", "probe-runner")}=${urlOf(runnerUser(location))}`),
  "# Full access, for `npm run nats:streams`: at the first start and after each upgrade.",
  `# nats://${natsAdmin}:${admin}@${address}`,
  ...(issuer === null
    ? ["# Without remote probe runners (docs/locations.md): run this again with SONDE_SECRET_KEY set to have them."]
    : []),
  authorization(admin, passwords, issuer),
];
process.stdout.write(`${lines.join("\n")}\n`);
