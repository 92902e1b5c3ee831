import * as z from "zod";
import { checkResult } from "../http/monitors/checks.ts";
import { contract } from "./contract.ts";

/** Served by any runner of one location; the location is the scope. */
export const probesContract = contract("probes", {
  /**
   * Runs one check. With a monitor, the result is also published to RESULTS as manual. A failed check is a result, not
   * an error.
   */
  runCheck: {
    input: z.object({
      /** 0 for a monitor that is not saved. */
      monitorId: z.int(),
      version: z.int(),
      /** As in a definition: secrets are sealed. */
      check: z.record(z.string(), z.unknown()),
      timeoutMs: z.number(),
      /** Allows evidence to contain the response; true if absent. */
      keepBody: z.boolean().default(true),
      /** Each retry adds 1. */
      attempt: z.int().min(1).default(1),
      /**
       * Slot (epoch ms) whose failure at another location this check confirms; the result is published as a second
       * opinion.
       */
      confirms: z.number().optional(),
    }),
    answer: checkResult,
  },
});
