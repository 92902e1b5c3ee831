import { calloutIssuer } from "@sonde/kit/bus/callout";
import { deriveKeys, isKeyList } from "@sonde/kit/secret-keys";
import { readConfig } from "@sonde/kit/service/config";
import { createLog, type Log } from "@sonde/kit/service/log";
import * as z from "zod";
import { StartupError } from "@sonde/kit/service/startup-error";
import { connectCluster, type Waits } from "./secrets/cluster.ts";
import { ensureSecret, isDerived, isKind, readKey } from "./secrets/ensure.ts";

const json = <Shape extends z.ZodType>(shape: Shape, example: string) =>
  z
    .string(`must be JSON such as ${example}`)
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: "custom", message: `must be JSON such as ${example}` });
        return z.NEVER;
      }
    })
    .pipe(shape);

const kind = z.string().refine(isKind, "must be base64-32, code, password, word:<text> or derived:<key>");
const schema = z.object({
  SECRETS: json(z.record(z.string(), z.record(z.string(), kind)), '{"sonde-app":{"setup-code":"code"}}'),
  MASTER: json(
    z.object({ secret: z.string(), key: z.string() }),
    '{"secret":"sonde-app","key":"secret-key"}',
  ).optional(),
  LABELS: json(z.record(z.string(), z.string()), '{"app.kubernetes.io/name":"sonde"}').default({}),
});

/**
 * Creates missing Secrets and keys of `SECRETS` ({name: {key: kind}}) in this pod's namespace. Derived keys are computed
 * from the master key at `MASTER`.
 */
export async function makeSecrets(
  environment: NodeJS.ProcessEnv,
  { folder, waits, log = createLog("setup") }: { folder?: string; waits?: Partial<Waits>; log?: Log } = {},
): Promise<void> {
  const { SECRETS, MASTER, LABELS: labels } = readConfig(schema, environment);
  const cluster = await connectCluster(environment, log, { folder, waits });
  const secrets = Object.entries(SECRETS);
  const hasDerived = (keys: Readonly<Record<string, string>>) => Object.values(keys).some(isDerived);
  // First, because the master key may be one of them.
  for (const [name, keys] of secrets.filter(([, kinds]) => !hasDerived(kinds))) {
    await ensureSecret(cluster, log, name, keys, { labels });
  }
  if (MASTER === undefined) return;
  const master = await readKey(cluster, MASTER.secret, MASTER.key);
  if (!isKeyList(master)) {
    throw new StartupError(`${MASTER.key} of the Secret ${MASTER.secret} must be 32 bytes in base64.`);
  }
  const keys = deriveKeys(master);
  const derived = { ...keys, SONDE_KEY_ISSUER: calloutIssuer(keys.SONDE_KEY_CALLOUT).publicKey };
  for (const [name, keys] of secrets.filter(([, kinds]) => hasDerived(kinds))) {
    await ensureSecret(cluster, log, name, keys, { labels, derived });
  }
}
