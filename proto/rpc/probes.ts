import * as z from "zod";
import { checkResult } from "../http/monitors/checks.ts";
import { contract } from "./contract.ts";

/** Served by the runners of one location, which is the scope; one of them answers. */
export const probesContract = contract("probes", {
  /**
   * Runs one check now. With a monitor the result is also published to RESULTS as manual. A failing check is an answer,
   * not an error.
   */
  runCheck: {
    input: z.object({
      /** 0: saved nowhere. */
      monitorId: z.int(),
      version: z.int(),
      /** As a definition holds it: secret texts are sealed. */
      check: z.record(z.string(), z.unknown()),
      timeoutMs: z.number(),
      /** Whether the evidence of a failure may hold what the target answered. */
      keepBody: z.boolean().default(true),
      /** A re-check counts up. */
      attempt: z.int().min(1).default(1),
      /** A second opinion on a failure at another location in this slot, epoch ms: its result is published as such. */
      confirms: z.number().optional(),
    }),
    answer: checkResult,
  },
});
