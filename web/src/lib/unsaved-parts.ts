import { useCallback, useState } from "react";

/** Which of a page's forms hold work that was not saved: one guard covers all of them. */
export function useUnsavedParts<Part extends string>() {
  const [parts, setParts] = useState<readonly Part[]>([]);
  const report = useCallback((part: Part, unsaved: boolean) => {
    setParts((before) => {
      if (before.includes(part) === unsaved) return before;
      return unsaved ? [...before, part] : before.filter((each) => each !== part);
    });
  }, []);
  return { unsaved: parts.length > 0, report };
}
