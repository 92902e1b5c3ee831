import { enUS } from "./en-US.ts";
import type { PageWords } from "./shape.ts";
import { zhCN } from "./zh-CN.ts";

export type { PageWords } from "./shape.ts";
export const words: Record<"zh-CN" | "en-US", PageWords> = { "zh-CN": zhCN, "en-US": enUS };
