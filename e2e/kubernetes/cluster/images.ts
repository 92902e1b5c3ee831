import { setTimeout as sleep } from "node:timers/promises";
import type { Namespace } from "./namespace.ts";

const pollMs = 3000;
const reasons = new Set(["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"]);

/** Rejects as soon as a node cannot pull an image, because waiting would not help. Never resolves. */
export async function missingImage(namespace: Namespace, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(pollMs, undefined, { signal });
    for (const { metadata, status } of await namespace.pods()) {
      for (const { state } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
        if (!reasons.has(state?.waiting?.reason ?? "")) continue;
        throw new Error(
          `${metadata.name} has no image (${state?.waiting?.message}): the cluster's nodes must provide them`,
        );
      }
    }
    const sandbox = (await namespace.events()).find(
      ({ reason, message }) => reason === "FailedCreatePodSandBox" && /image/.test(message),
    );
    if (sandbox !== undefined) throw new Error(`the node lacks its own pause image: ${sandbox.message}`);
  }
}
