import { z } from "zod";

// To become `import { type ConfigPlan, configPlan } from "@sonde/proto/http/config/apply"`.
const path = z.string();
/** What an apply does, or would do. */
export const configPlan = z.object({
  create: z.array(path),
  update: z.array(z.object({ path, from: z.unknown(), to: z.unknown() })),
  remove: z.array(path),
  same: z.array(path),
  conflicts: z.array(z.object({ path, message: z.string() })),
});
export type ConfigPlan = z.infer<typeof configPlan>;

export const hasDifferences = ({ create, update, remove }: ConfigPlan) =>
  create.length + update.length + remove.length > 0;
