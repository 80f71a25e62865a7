import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** An element and the width of its content, in pixels, as it changes. */
export function useWidth(): readonly [RefObject<HTMLDivElement | null>, number] {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(globalThis.innerWidth);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
