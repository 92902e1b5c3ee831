import type { Handlers } from "@sonde/kit/bus/rpc";
import { oneOf } from "@sonde/kit/one-of";
import type { StatusPageService } from "@sonde/proto/gen/status/v1/status";
import { pageLanguages } from "@sonde/proto/http/status/documents";
import type { Context } from "../context.ts";
import type { StoredStatusConfig } from "./config-store.ts";
import type { RenderPreview } from "./preview.ts";
import { getConfig, updateConfig } from "./update-config.ts";

const readLanguage = oneOf(pageLanguages, "language");

type Methods = "getConfig" | "updateConfig" | "previewPage";

export const pageEndpoints = (
  ctx: Context,
  preview: RenderPreview,
): Pick<Handlers<typeof StatusPageService>, Methods> => ({
  getConfig: async () => present(await getConfig(ctx)),
  updateConfig: async ({ config }) => present(await updateConfig(ctx, config)),
  previewPage: async ({ config, language }) => ({
    html: await preview({ config, language: readLanguage(language) }),
  }),
});

const present = ({ config, updatedAtMs }: StoredStatusConfig) => ({
  config: JSON.stringify(config),
  updatedAtMs: updatedAtMs ?? undefined,
});
