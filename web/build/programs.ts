import { bundleRunner } from "@sonde/bundle/single-file";
import { bundleCommand } from "@sonde/cli/build";
import type { Plugin } from "vite";

/** Adds the programs that users download: the command-line tool and the probe runner. */
export function withPrograms(): Plugin {
  return {
    name: "sonde:programs",
    apply: "build",
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: "downloads/sonde.mjs", source: await bundleCommand() });
      this.emitFile({ type: "asset", fileName: "downloads/sonde-runner.mjs", source: await bundleRunner() });
    },
  };
}
