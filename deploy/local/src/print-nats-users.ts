import { serviceNames } from "@sonde/proto/services";
import { authorization, natsAdmin, newPassword, newServicePasswords } from "@sonde/kit/embedded/nats-users";
import { variableOf } from "./service-urls.ts";

// Prints the users of a real nats-server, with new passwords: what to put into its configuration, and above it, as
// comments, the URL that each service is given.
const [address = "nats.example.com:4222"] = process.argv.slice(2);
const admin = newPassword();
const services = newServicePasswords();
const lines = [
  "# Each service's own NATS_URL. Under `npm start` the names are as written here.",
  ...serviceNames.map((name) => `# ${variableOf("NATS_URL", name)}=nats://${name}:${services[name]}@${address}`),
  "# May do everything; for `npm run nats:streams`, at first and after each upgrade.",
  `# nats://${natsAdmin}:${admin}@${address}`,
  authorization(admin, services),
];
process.stdout.write(`${lines.join("\n")}\n`);
