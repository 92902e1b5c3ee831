import { expect, test } from "vitest";
import { blocksIn, commandFaults } from "./commands.ts";

const page = (file: string, info: string, code: string) =>
  [file, blocksIn(file, `# Page\n\n\`\`\`${info}\n${code}\n\`\`\`\n`)] as const;
const faults = (...pages: ReturnType<typeof page>[]) => commandFaults(new Map(pages));

test("a block of commands is run, or says why it is not", () => {
  expect(faults(page("docs/a.md", "sh run", "ls"), page("docs/b.md", "sh not-run: needs a cluster", "ls"))).toEqual([]);
  expect(faults(page("docs/c.md", "yaml", "a: 1"))).toEqual([]);
  const unmarked = "docs/a.md:3: mark the commands as `run`, or as `not-run: why`";
  for (const info of ["sh", "bash", "console", "sh not-run:", "sh not-run: no", "sh later"])
    expect([info, faults(page("docs/a.md", info, "ls"))]).toEqual([info, [unmarked]]);
});

test("a Chinese page has the commands of its twin, with comments of its own", () => {
  const english = page("docs/a.md", "sh run", "# List it.\nls -l  # all");
  expect(faults(english, page("docs/zh-CN/a.md", "sh run", "# 列出\nls -l  # 全部"))).toEqual([]);
  const lacks = ["docs/zh-CN/a.md:3: the English page has no block of these commands"];
  expect(faults(english, page("docs/zh-CN/a.md", "sh run", "ls -a"))).toEqual(lacks);
  expect(faults(english, page("docs/zh-CN/a.md", "sh not-run: 需要一个 Kubernetes 集群", "ls -l"))).toEqual(lacks);
});
