import { bundleCommand } from "@sonde/cli/build";
import type { Plugin } from "vite";

export function withCommand(): Plugin {
  return {
    name: "sonde:command",
    apply: "build",
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: "downloads/sonde.mjs", source: await bundleCommand() });
    },
  };
}
