import type { Handlers } from "@sonde/kit/bus/rpc";
import type { StatusPageService } from "@sonde/proto/gen/status/v1/status";
import type { Context } from "../context.ts";
import type { StoredConfig } from "./config-store.ts";
import type { Previews } from "./preview.ts";
import { getConfig, updateConfig } from "./update-config.ts";

type Methods = "getConfig" | "updateConfig" | "previewPage";

export const pageEndpoints = (ctx: Context, preview: Previews): Pick<Handlers<typeof StatusPageService>, Methods> => ({
  getConfig: async () => present(await getConfig(ctx)),
  updateConfig: async ({ config }) => present(await updateConfig(ctx, config)),
  previewPage: ({ config }) => preview(config),
});

const present = ({ config, updatedAtMs }: StoredConfig) => ({
  config: JSON.stringify(config),
  updatedAtMs: updatedAtMs ?? undefined,
});
