import { useEffect } from 'preact/hooks';

/** Sets the title of the page. @param title undefined if another component sets it */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title;
  }, [title]);
}
