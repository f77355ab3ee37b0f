/** Message of a row that the operator declared not paid: no unanswered try of it has to be resolved any more. */
export const DECLARED_NOT_PAID = 'declared not paid by the operator';
