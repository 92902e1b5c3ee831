import { readConfig } from "@sonde/kit/service/config";
import { createLog, type Log } from "@sonde/kit/service/log";
import { z } from "zod";
import { connect, type Waits } from "./kubernetes/client.ts";
import { readServiceAccount } from "./kubernetes/service-account.ts";
import { ensureSecret } from "./secrets/ensure.ts";
import { isKind } from "./secrets/kinds.ts";

/** JSON in a variable. */
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

const kind = z.string().refine(isKind, "is none of base64-32, code, password, word:<text>");
const schema = z.object({
  SECRETS: json(z.record(z.string(), z.record(z.string(), kind)), '{"sonde-app":{"setup-code":"code"}}'),
  LABELS: json(z.record(z.string(), z.string()), '{"app.kubernetes.io/name":"sonde"}').default({}),
});

/**
 * Makes the Secrets of `SECRETS` ({name: {key: kind}}) in this pod's namespace where they are absent, and keys where
 * one lacks them.
 */
export async function makeSecrets(
  environment: NodeJS.ProcessEnv,
  { folder, waits, log = createLog("setup") }: { folder?: string; waits?: Partial<Waits>; log?: Log } = {},
): Promise<void> {
  const { SECRETS, LABELS } = readConfig(schema, environment);
  const account = await readServiceAccount(environment, folder);
  const client = connect(account, log, waits);
  for (const [name, keys] of Object.entries(SECRETS)) await ensureSecret(client, log, name, keys, LABELS);
}
