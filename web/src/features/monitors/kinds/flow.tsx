import { typedHost } from "../../../lib/typed.ts";
import { Steps } from "./flow/steps.tsx";
import { emptyFlow, type FlowValues, readFlow, showFlow, tidyFlow } from "./flow/values.ts";
import { FlowOptions } from "./flow/options.tsx";
import type { KindForm } from "./registry.ts";

export const form: KindForm<"flow", FlowValues> = {
  empty: emptyFlow,
  show: showFlow,
  read: readFlow,
  tidy: tidyFlow,
  proposeName: ({ steps }) => typedHost(steps[0]?.url ?? ""),
  Address: Steps,
  advanced: { names: ["followRedirects", "verifyTls", "minDaysLeft"], Fields: FlowOptions },
};
