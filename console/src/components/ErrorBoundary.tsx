import { Component, type ReactNode } from 'react';
import { useMessages } from '../messages/language';
import { shell } from '../messages/shell';
import { Button } from './Button';
import { EmptyState } from './States';

/** Keeps a page that breaks from taking the others with it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    return this.state.broken ? <Broken /> : this.props.children;
  }
}

function Broken() {
  const t = useMessages(shell);
  return (
    <EmptyState icon="alert" title={t.failed} help={t.crashed}>
      <Button look="primary" onClick={() => location.reload()}>
        {t.reload}
      </Button>
    </EmptyState>
  );
}
