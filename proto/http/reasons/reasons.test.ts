import { expect, test } from "vitest";
import { explain, reasons, withoutOutput } from "./reasons.ts";

test("every reason is found again when its facts are filled in, and keeps them", () => {
  for (const [english, chinese] of Object.entries(reasons)) {
    const facts = (text: string) => text.replace(/\{(\w+)\}/g, (_whole, name: string) => `<${name}>`);
    expect(explain(facts(english), "zh-CN")).toBe(facts(chinese));
  }
});

test("the more exact reason wins; English and what is not known stay as they are", () => {
  expect(explain("Expected status 200, got 503", "zh-CN")).toBe("期望状态码 200，实际为 503");
  expect(explain("Expected status 200, got 503", "en-US")).toBe("Expected status 200, got 503");
  expect(explain("Disk /var at 97.1%, above 90%", "zh-CN")).toBe("磁盘 /var 使用率 97.1%，超过 90%");
  expect(explain("No results for 23 s", "zh-CN")).toBe("已有 23 秒没有检查结果");
  // Format stored by earlier versions.
  expect(explain("No result came for 23 s", "zh-CN")).toBe("已有 23 秒没有检查结果");
  expect(explain("EWEIRD: something else", "zh-CN")).toBe("EWEIRD: something else");
});

test("a text longer than any reason is not looked into", () => {
  const hostile = `Expected ${" ".repeat(100_000)}`;
  expect(explain(hostile, "zh-CN")).toBe(hostile);
});

test("what a job printed is cut, in both languages and at the end of any sentence", () => {
  const failed = "The job ended with exit code 2: PGPASSWORD=x\nThe job reported a failure: y";
  expect(withoutOutput(failed)).toBe("The job ended with exit code 2");
  expect(withoutOutput(explain(failed, "zh-CN"))).toBe("任务以退出码 2 结束");
  expect(withoutOutput("The job reported a failure: x")).toBe("The job reported a failure");
  expect(withoutOutput(`Incident opened: ${failed}`)).toBe("Incident opened: The job ended with exit code 2");
  expect(withoutOutput(`事件开始：${explain("The job reported a failure: x", "zh-CN")}`)).toBe(
    "事件开始：任务报告失败",
  );
  for (const text of ["The job ended with exit code 2", "Expected status 200, got 503", ""])
    expect(withoutOutput(text)).toBe(text);
});
