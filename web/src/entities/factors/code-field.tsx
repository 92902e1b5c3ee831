import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";

type CodeFieldProps = { label: string; hint?: string; value: string; onChange: (value: string) => void };

export function CodeField({ label, hint, value, onChange }: CodeFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          className="font-mono"
        />
      )}
    </Field>
  );
}
