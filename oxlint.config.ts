import { defineConfig } from "oxlint";
import { fenceOverrides } from "./deploy/verify/fences.ts";

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "react", "jsx-a11y", "vitest"],
  options: { typeAware: true },
  categories: { correctness: "error" },
  rules: {
    "max-lines": ["error", { max: 400 }],
    "typescript/no-explicit-any": "error",
    "typescript/ban-ts-comment": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": ["error", { checksVoidReturn: false }],
    "typescript/await-thenable": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/unbound-method": "off",
    "vitest/no-focused-tests": "error",
    "vitest/no-disabled-tests": "error",
    "vitest/require-mock-type-parameters": "off",
    "vitest/no-conditional-tests": "off",
    "vitest/require-to-throw-message": "off",
    "vitest/no-conditional-expect": "off",
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    "jsx-a11y/prefer-tag-over-role": "off",
    "jsx-a11y/no-autofocus": "off",
    "jsx-a11y/no-noninteractive-tabindex": "off",
    "jsx-a11y/control-has-associated-label": "off",
    "react/purity": "off",
    "no-var": "error",
    "prefer-const": "error",
    eqeqeq: ["error", "always", { null: "ignore" }],
    "no-console": "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
  },
  overrides: [
    {
      files: ["testing/**", "bench/**", "deploy/**", "e2e/**", "web/dev/**", "agent/build/**"],
      rules: { "no-console": "off" },
    },
    {
      files: ["web/src/**"],
      rules: { "no-console": ["error", { allow: ["warn", "error"] }] },
    },
    ...fenceOverrides(),
  ],
  ignorePatterns: ["proto/gen/**", "**/dist/**", "**/node_modules/**", "web/public/**"],
});
