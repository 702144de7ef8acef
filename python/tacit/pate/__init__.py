"""Private aggregation of teachers (PATE): labels for public inputs, by noisy votes.

    from tacit import pate

    plan = pate.Plan(classes=10, answers=200, scale=40)
    answers = pate.label(
        (images, digits), public_images, teacher=LogisticRegression, teachers=250, plan=plan, delta=1e-5
    )
    student = answers.teach(LogisticRegression(), public_images)
    print(answers.epsilon, answers.account)

A teacher and a student are whatever has fit and predict. What is promised holds for one unit more or
less: an example, or all examples of one name in `units`.
"""

from tacit.pate.answers import Answers
from tacit.pate.plan import Hindsight, Plan
from tacit.pate.votes import ask, label

__all__ = ["Answers", "Hindsight", "Plan", "ask", "label"]
