import { ConfigError } from "@sonde/kit/service/config";
import { explainError, StartupError } from "@sonde/kit/service/startup-error";

const commands: Readonly<Record<string, () => Promise<(environment: NodeJS.ProcessEnv) => Promise<void>>>> = {
  secrets: async () => (await import("./secrets.ts")).makeSecrets,
  keys: async () => (await import("./keys.ts")).printKeys(process.argv.slice(3)),
  issuer: async () => (await import("./issuer.ts")).printIssuer(process.argv[3]),
  servers: async () => (await import("./servers.ts")).prepareServers,
  smoke: async () => (await import("./smoke.ts")).smoke,
};

const [word = ""] = process.argv.slice(2);
const load = commands[word];
if (load === undefined) {
  process.stderr.write(`Specify a command: ${Object.keys(commands).join(", ")}\n`);
  process.exit(2);
}
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(1));
try {
  await (
    await load()
  )(process.env);
  process.exit(0);
} catch (fault) {
  // Errors that the user can fix are one line; bugs are printed with their stack.
  const isUnexpected = fault instanceof Error && !(fault instanceof StartupError || fault instanceof ConfigError);
  process.stderr.write(`${word}: ${isUnexpected && !("code" in fault) ? fault.stack : explainError(fault)}\n`);
  process.exit(1);
}
