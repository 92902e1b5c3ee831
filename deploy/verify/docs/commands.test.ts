import { expect, test } from "vitest";
import { blocksIn, commandErrors } from "./commands.ts";

const page = (file: string, info: string, code: string) =>
  [file, blocksIn(file, `# Page\n\n\`\`\`${info}\n${code}\n\`\`\`\n`)] as const;
const errors = (...pages: ReturnType<typeof page>[]) => commandErrors(new Map(pages));

test("each command block must be marked as run, or as not-run with a reason", () => {
  expect(errors(page("docs/a.md", "sh run", "ls"), page("docs/b.md", "sh not-run: needs a cluster", "ls"))).toEqual([]);
  expect(errors(page("docs/c.md", "yaml", "a: 1"))).toEqual([]);
  const unmarked = "docs/a.md:3: mark the commands as `run`, or as `not-run: why`";
  for (const info of ["sh", "bash", "console", "sh not-run:", "sh not-run: no", "sh later"])
    expect([info, errors(page("docs/a.md", info, "ls"))]).toEqual([info, [unmarked]]);
});

test("a Chinese page must have the commands of its English twin; comments may differ", () => {
  const english = page("docs/a.md", "sh run", "# List it.\nls -l  # all");
  expect(errors(english, page("docs/zh-CN/a.md", "sh run", "# 列出\nls -l  # 全部"))).toEqual([]);
  const lacks = ["docs/zh-CN/a.md:3: the English page has no block with these commands"];
  expect(errors(english, page("docs/zh-CN/a.md", "sh run", "ls -a"))).toEqual(lacks);
  expect(errors(english, page("docs/zh-CN/a.md", "sh not-run: 需要一个 Kubernetes 集群", "ls -l"))).toEqual(lacks);
});
