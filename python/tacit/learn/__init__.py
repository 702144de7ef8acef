"""Models of private rows, in the manner of scikit-learn.

    from tacit.learn import LogisticRegression

    model = LogisticRegression(
        epsilon=1, delta=1e-5, bounds={"age": (17, 90)}, categories={"sex": ["F", "M"]}, classes=[0, 1]
    )
    model.fit(frame, "rich")                    # pandas, polars, Arrow, a dict of columns, a file
    model.coef_, model.coef_halfwidth_, model.predict(other)

    KMeans(4, columns=["age", "income"], epsilon=1, workspace="clinic", analyst="ana").fit("people")

Every `fit` is charged to a ledger before a row is read: that of `workspace`, or where there is none one of its
own, which it names. Predicting costs nothing. Bounds, values of categories and classes are public: do not
read them off private rows.
"""

from tacit.learn.estimators import PCA, KMeans, LinearRegression, LogisticRegression, NaiveBayes

__all__ = ["PCA", "KMeans", "LinearRegression", "LogisticRegression", "NaiveBayes"]
