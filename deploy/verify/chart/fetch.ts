import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { fetchedTools, findProgram } from "./tools.ts";

const modules = {
  helm: "helm.sh/helm/v4/cmd/helm@v4.3.1",
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
};

/** Builds helm and kubeconform with Go if they are missing. @throws Error if Go is missing or fails */
export async function fetchTools(): Promise<void> {
  await mkdir(fetchedTools, { recursive: true });
  for (const [name, module] of Object.entries(modules)) {
    if ((await findProgram(name)) === null) await goInstall(module);
  }
}

function goInstall(module: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("go", ["install", module], { stdio: "inherit", env: { ...process.env, GOBIN: fetchedTools } });
    child.once("error", () => reject(new Error("Go is missing: install it, or put helm and kubeconform on PATH")));
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`go install ${module} ended with ${code}`)),
    );
  });
}
