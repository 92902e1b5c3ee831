import { expect, it } from "vitest";
import { differingTexts, unusedKeys, wordsOutside } from "./words.ts";

const source = (text: string) => ({ file: "screen.tsx", text });

it("reports unused keys; templates, plurals and errors by their last part count as used", () => {
  const words = {
    list: { title: "List", gone: "Gone" },
    roles: { admin: "Admin", deep: { er: "Deeper" } },
    many_one: "{{count}} one",
    many_other: "{{count}} many",
    errors: { load: "No load", never: "Never" },
  };
  const text = 't("list.title"); t(`roles.${role}`); t("many", { count }); i18n.t(`errors.${line}`); fail("load");';
  expect(unusedKeys(words, [source(text)])).toEqual(["list.gone", "roles.deep.er", "errors.never"]);
});

it("counts keys of a template that starts with a noun as used, for the nouns of elements", () => {
  const words = {
    monitors: { title: "Monitors", gone: "Gone" },
    agents: { title: "Agents" },
    users: { title: "Users" },
  };
  const kit = "const Page = ({ noun }) => t(`${noun}.title`);";
  const screens = 'const list = <Page noun="monitors" />; const other = <Page noun="agents" />;';
  expect(unusedKeys(words, [source(kit), source(screens)])).toEqual(["monitors.gone", "users.title"]);
});

it("reports texts with different placeholders", () => {
  const english = { one: "{{a}} and {{b}}", two: "{{a}}", three: "none" };
  expect(differingTexts(english, { one: "{{b}}、{{a}}", two: "{{b}}", three: "{{a}}" })).toEqual(["two", "three"]);
});

it("reports text in JSX that is not in the catalogues, with its line", () => {
  const text = `const screen = (
    <p title={isOpen ? "Open it" : t("close")} className="grid">
      Hello
      {count > 0 && "some"}
      {\`\${count} left\`}
      <input placeholder="姓名" />
    </p>
  );`;
  expect(wordsOutside(source(text))).toEqual([
    'screen.tsx:4: "some" is not in the catalogues',
    'screen.tsx:5: "left" is not in the catalogues',
    'screen.tsx:2: "Open it" is not in the catalogues',
    'screen.tsx:3: "Hello" is not in the catalogues',
    'screen.tsx:6: "姓名" is not in the catalogues',
  ]);
});

it("ignores names, addresses, symbols, keys and conditions", () => {
  const text = `const screen = (
    <p title={t("list.title")} aria-label={\`\${a}: \${b}\`} data-kind="words">
      Sonde · 12 {kind === "error" ? 1 : 2} {mode === "x" && <b />} {t(\`roles.\${role}\`)}
      <input placeholder="https://api.example.com/health" />
    </p>
  );`;
  expect(wordsOutside(source(text))).toEqual([]);
});
